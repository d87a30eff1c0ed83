#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: A genome's vocabulary, corpus and pretrained encoder
baseCommand: [bigdna, pretrain]
requirements: {ResourceRequirement: {coresMin: 1, ramMin: 4000}}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  genome: {type: File, doc: "FASTA, plain or compressed", inputBinding: {position: 1}}
  output_name: {type: string, default: pretrained.tar, doc: "the suffix .tar makes it one file", inputBinding: {prefix: "--output", position: 5}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 9}}
  options: {type: "string[]", default: [], doc: "further options, as on bigdna's command line", inputBinding: {position: 8}}
outputs:
  run: {type: File, outputBinding: {glob: $(inputs.output_name)}}
