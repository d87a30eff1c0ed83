// A prediction along a genome in parts that run side by side, and the merged result. Not run yet: see pipelines/README.md.
//   nextflow run pipelines/nextflow --genome genome.fa --model human-chr20-chrX --parts 8 [-stub]
include { BIGDNA_CHROMATIN } from './modules/bigdna/chromatin/main'
include { BIGDNA_MERGE     } from './modules/bigdna/merge/main'

params.genome = null
params.model  = 'human-chr20-chrX'
params.parts  = 8
params.suffix = 'h5'
params.outdir = 'results'

workflow {
    parts = Channel.of(1..params.parts).map { i -> [[id: "part$i", whole: 'chromatin'], [], "$i/${params.parts}"] }
    BIGDNA_CHROMATIN(parts, params.suffix, params.model, [[id: 'genome'], file(params.genome, checkIfExists: true), file("${params.genome}.{fai,gzi}")])
    merged = BIGDNA_CHROMATIN.out.part
        .map { meta, part, record -> [meta.whole, part, record] }
        .groupTuple(size: params.parts)
        .map { whole, files, records -> [[id: whole], files, records] }
    BIGDNA_MERGE(merged, params.suffix)
    BIGDNA_MERGE.out.merged.map { meta, file -> file }.subscribe { it.copyTo("${params.outdir}/${it.name}") }
}
