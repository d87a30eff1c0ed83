#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: Scores of promoters, of sequences, of regions or along a genome
baseCommand: [bigdna, predict-promoter]
requirements: {ResourceRequirement: {coresMin: 1, ramMin: 4000}}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  model: {type: [string, File, Directory], doc: "a model or run, as one file (.tar) or a folder, or a name that bigdna knows (human-chr20-chrX)", inputBinding: {position: 1}}
  sequences: {type: "File?", doc: "FASTA; else genome is scanned", inputBinding: {position: 2}}
  regions: {type: "File?", doc: "BED", inputBinding: {prefix: "--regions", position: 2}}
  genome: {type: "File?", secondaryFiles: [.fai?, .gzi?], doc: "FASTA, plain or BGZF", inputBinding: {prefix: "--genome", position: 3}}
  shard: {type: "string?", doc: "I/N: only part I of N, which merge.cwl joins", inputBinding: {prefix: "--shard", position: 4}}
  output_name: {type: string, default: promoters.tsv, doc: "its suffix chooses the format", inputBinding: {prefix: "--output", position: 5}}
  counts_name: {type: string, default: counts.json, inputBinding: {prefix: "--counts", position: 6}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 9}}
  options: {type: "string[]", default: [], doc: "further options, as on bigdna's command line", inputBinding: {position: 8}}
outputs:
  predictions: {type: File, secondaryFiles: [.options.json?], outputBinding: {glob: $(inputs.output_name)}}
  counts: {type: File, secondaryFiles: [.options.json?], outputBinding: {glob: $(inputs.counts_name)}}
