process BIGDNA_MERGE {
    tag "$meta.id"
    label 'process_low'

    conda "${moduleDir}/environment.yml"
    container 'localhost/bigdna'

    input:
    tuple val(meta), path(parts), path(records)
    val suffix

    output:
    tuple val(meta), path("${prefix}.${suffix}"), emit: merged
    path "versions.yml", emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    bigdna merge $parts $args -o ${prefix}.${suffix} -@ $task.cpus

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bigdna: \$(bigdna --version-only)
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.${suffix}

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bigdna: \$(bigdna --version-only)
    END_VERSIONS
    """
}
