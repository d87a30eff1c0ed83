process BIGDNA_CHROMATIN {
    tag "$meta.id"
    label 'process_medium'
    container 'localhost/bigdna'

    input:
    tuple val(meta), val(shard), val(suffix)  // shard: "2/8"; meta.id differs between parts
    val model  // a name that bigdna knows, or the path of a model, as a .tar or a folder
    path regions  // BED; [] scans the genome
    path genome

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
    bigdna chromatin $model $regions -g $genome $args -o ${prefix}.${suffix} \\
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
