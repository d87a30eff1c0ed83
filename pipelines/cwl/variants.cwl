#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: What variants do to a model's predictions
baseCommand: [bigdna, variants]
requirements: {ResourceRequirement: {coresMin: 1, ramMin: 4000}}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  model: {type: [string, File, Directory], doc: "a model or run, as one file (.tar) or a folder, or a name that bigdna knows (human-chr20-chrX)", inputBinding: {position: 1}}
  variants: {type: File, secondaryFiles: [.tbi?, .csi?], doc: "VCF or BCF", inputBinding: {position: 2}}
  regions: {type: "File?", doc: "BED: only records that overlap these, through the index of variants", inputBinding: {prefix: "--regions", position: 2}}
  sites: {type: "File?", doc: "promoters: start sites to score at", inputBinding: {prefix: "--sites", position: 2}}
  genome: {type: File, secondaryFiles: [.fai?, .gzi?], doc: "FASTA, plain or BGZF", inputBinding: {prefix: "--genome", position: 3}}
  shard: {type: "string?", doc: "I/N: only part I of N, which merge.cwl joins", inputBinding: {prefix: "--shard", position: 4}}
  output_name: {type: string, default: effects.vcf.gz, doc: "its suffix chooses the format", inputBinding: {prefix: "--output", position: 5}}
  counts_name: {type: string, default: counts.json, inputBinding: {prefix: "--counts", position: 6}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 9}}
  options: {type: "string[]", default: [], doc: "further options, as on bigdna's command line", inputBinding: {position: 8}}
outputs:
  predictions: {type: File, secondaryFiles: [.options.json?], outputBinding: {glob: $(inputs.output_name)}}
  counts: {type: File, secondaryFiles: [.options.json?], outputBinding: {glob: $(inputs.counts_name)}}
