process BIGDNA_VARIANTS {
    tag "$meta.id"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container 'localhost/bigdna'

    input:
    tuple val(meta), path(variants), val(shard)  // shard: "2/8"; meta.id differs between parts
    val suffix
    val model  // a name that bigdna knows, or the path of a model, as a .tar or a folder
    tuple val(meta2), path(genome), path(indices)  // .fai, and .gzi of a bgzip genome; [] has them made

    output:
    tuple val(meta), path("${prefix}.${suffix}"), path("${prefix}.${suffix}.options.json"), emit: part
    tuple val(meta), path("${prefix}.counts.json"), path("${prefix}.counts.json.options.json"), emit: counts
    path "versions.yml", emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    bigdna variants $model $variants -g $genome $args -o ${prefix}.${suffix} \\
        --counts ${prefix}.counts.json --shard $shard -@ $task.cpus

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bigdna: \$(bigdna --version-only)
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.${suffix} ${prefix}.${suffix}.options.json ${prefix}.counts.json ${prefix}.counts.json.options.json

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bigdna: \$(bigdna --version-only)
    END_VERSIONS
    """
}
