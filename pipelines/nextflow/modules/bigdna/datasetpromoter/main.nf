process BIGDNA_DATASETPROMOTER {
    tag "$meta.id"
    label 'process_medium'
    container 'localhost/bigdna'

    input:
    tuple val(meta), path(promoters)
    path genome

    output:
    tuple val(meta), path("${prefix}"), emit: dataset
    path "versions.yml", emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    bigdna dataset promoter --promoters $promoters -g $genome $args -o ${prefix} -@ $task.cpus

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bigdna: \$(bigdna --version-only)
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir ${prefix}
    touch ${prefix}/dataset.json

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bigdna: \$(bigdna --version-only)
    END_VERSIONS
    """
}
