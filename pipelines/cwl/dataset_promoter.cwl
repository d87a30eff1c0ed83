#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: Labelled promoters and negatives, split without leakage
baseCommand: [bigdna, dataset, promoter]
requirements: {ResourceRequirement: {coresMin: 1, ramMin: 4000}}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  promoters: {type: File, doc: "start sites: BED, SGA, FPS or TSV", inputBinding: {prefix: "--promoters", position: 2}}
  genome: {type: File, secondaryFiles: [.fai?, .gzi?], doc: "FASTA, plain or BGZF", inputBinding: {prefix: "--genome", position: 3}}
  output_name: {type: string, default: promoters.tar, doc: "the suffix .tar makes it one file", inputBinding: {prefix: "--output", position: 5}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 9}}
  options: {type: "string[]", default: [], doc: "further options, as on bigdna's command line", inputBinding: {position: 8}}
outputs:
  dataset: {type: File, outputBinding: {glob: $(inputs.output_name)}}
