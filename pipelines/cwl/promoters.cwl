#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: Workflow
doc: From a genome and its start sites to a scan of the genome for promoters, in parts that run side by side
requirements: {ScatterFeatureRequirement: {}, StepInputExpressionRequirement: {}}
inputs:
  genome: {type: File, secondaryFiles: [.fai?, .gzi?]}
  promoters: File
  shards: {type: "string[]", doc: "1/3, 2/3, 3/3"}
  pretrain_options: {type: "string[]", default: []}
  dataset_options: {type: "string[]", default: []}
  finetune_options: {type: "string[]", default: []}
  scan_options: {type: "string[]", default: []}
steps:
  pretrain: {run: pretrain.cwl, in: {genome: genome, options: pretrain_options}, out: [run]}
  dataset: {run: dataset_promoter.cwl, in: {genome: genome, promoters: promoters, options: dataset_options}, out: [dataset]}
  finetune:
    run: finetune.cwl
    in: {model: pretrain/run, dataset: dataset/dataset, options: finetune_options}
    out: [run]
  scan:
    run: predict_promoter.cwl
    scatter: shard
    in: {model: finetune/run, genome: genome, shard: shards, options: scan_options}
    out: [predictions, counts]
  merge: {run: merge.cwl, in: {parts: scan/predictions, output_name: {default: promoters.tsv}}, out: [merged]}
  merge_counts: {run: merge.cwl, in: {parts: scan/counts, output_name: {default: counts.json}}, out: [merged]}
outputs:
  model: {type: File, outputSource: finetune/run}
  promoters_found: {type: File, outputSource: merge/merged}
  counts: {type: File, outputSource: merge_counts/merged}
