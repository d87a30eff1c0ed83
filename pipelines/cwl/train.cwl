#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: A network on bases, trained on a chromatin dataset
baseCommand: [bigdna, train]
requirements: {ResourceRequirement: {coresMin: 1, ramMin: 4000}}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  dataset: {type: [File, Directory], inputBinding: {position: 2}}
  genome: {type: File, secondaryFiles: [.fai?, .gzi?], doc: "FASTA, plain or BGZF, of a dataset of bins, which holds none of its bases", inputBinding: {prefix: "--genome", position: 3}}
  output_name: {type: string, default: model.tar, doc: "the suffix .tar makes it one file", inputBinding: {prefix: "--output", position: 5}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 9}}
  options: {type: "string[]", default: [], doc: "further options, as on bigdna's command line", inputBinding: {position: 8}}
outputs:
  run: {type: File, outputBinding: {glob: $(inputs.output_name)}}
