#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: A dataset of a table of sequences or intervals with labels
baseCommand: [bigdna, dataset, table]
requirements: {ResourceRequirement: {coresMin: 1, ramMin: 4000}}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  table: {type: File, doc: "CSV, TSV, BED or FASTA", inputBinding: {position: 1}}
  label_columns: {type: string, inputBinding: {prefix: "--label-columns", position: 2}}
  genome: {type: "File?", secondaryFiles: [.fai?, .gzi?], doc: "FASTA, plain or BGZF", inputBinding: {prefix: "--genome", position: 3}}
  output_name: {type: string, default: table.tar, doc: "the suffix .tar makes it one file", inputBinding: {prefix: "--output", position: 5}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 9}}
  options: {type: "string[]", default: [], doc: "further options, as on bigdna's command line", inputBinding: {position: 8}}
outputs:
  dataset: {type: File, outputBinding: {glob: $(inputs.output_name)}}
