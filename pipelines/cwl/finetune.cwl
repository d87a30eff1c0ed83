#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: A pretrained encoder, fine-tuned for a dataset's labels
baseCommand: [bigdna, finetune]
requirements: {ResourceRequirement: {coresMin: 1, ramMin: 4000}}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  model: {type: [string, File, Directory], doc: "a model or run, as one file (.tar) or a folder, or a name that bigdna knows (human-chr20-chrX)", inputBinding: {position: 1}}
  dataset: {type: [File, Directory], inputBinding: {position: 2}}
  genome: {type: "File?", secondaryFiles: [.fai?, .gzi?], doc: "FASTA, plain or BGZF, of a chromatin dataset, which holds none of its bases", inputBinding: {prefix: "--genome", position: 3}}
  output_name: {type: string, default: model.tar, doc: "the suffix .tar makes it one file", inputBinding: {prefix: "--output", position: 5}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 9}}
  options: {type: "string[]", default: [], doc: "further options, as on bigdna's command line", inputBinding: {position: 8}}
outputs:
  run: {type: File, outputBinding: {glob: $(inputs.output_name)}}
