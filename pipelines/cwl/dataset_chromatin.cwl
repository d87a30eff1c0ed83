#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: Bins of a genome with the labels of peak files
baseCommand: [bigdna, dataset, chromatin]
requirements:
  InitialWorkDirRequirement: {listing: [$(inputs.peaks), $(inputs.peak_files)]}
  ResourceRequirement: {coresMin: 1, ramMin: 4000}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  peaks: {type: File, doc: "table of peak files, which it names without folders", inputBinding: {prefix: "--peaks", position: 2, valueFrom: $(self.basename)}}
  peak_files: {type: "File[]", doc: "the files that the table names"}
  start_sites: {type: "File?", doc: "BED, GTF, GFF3, SGA, FPS or TSV: two more features", inputBinding: {prefix: "--start-sites", position: 2}}
  genome: {type: File, secondaryFiles: [.fai?, .gzi?], doc: "FASTA, plain or BGZF", inputBinding: {prefix: "--genome", position: 3}}
  output_name: {type: string, default: chromatin.tar, doc: "the suffix .tar makes it one file", inputBinding: {prefix: "--output", position: 5}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 9}}
  options: {type: "string[]", default: [], doc: "further options, as on bigdna's command line", inputBinding: {position: 8}}
outputs:
  dataset: {type: File, outputBinding: {glob: $(inputs.output_name)}}
