#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
doc: Joins the parts of a prediction that was divided (shard)
baseCommand: [bigdna, merge]
requirements:
  ResourceRequirement: {coresMin: 1, ramMin: 1000}
hints: {DockerRequirement: {dockerPull: localhost/bigdna}}
inputs:
  parts: {type: "File[]", secondaryFiles: [.options.json], inputBinding: {position: 1}}
  output_name: {type: string, inputBinding: {prefix: "--output", position: 2}}
  threads: {type: int, default: 2, inputBinding: {prefix: "--threads", position: 3}}
outputs:
  merged: {type: File, outputBinding: {glob: $(inputs.output_name)}}
