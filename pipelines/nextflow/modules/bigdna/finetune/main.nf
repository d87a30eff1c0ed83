process BIGDNA_FINETUNE {
    tag "$meta.id"
    label 'process_high'

    conda "${moduleDir}/environment.yml"
    container 'localhost/bigdna'

    input:
    tuple val(meta), path(pretrained), path(dataset)
    tuple val(meta2), path(genome), path(indices)  // of a chromatin dataset, which holds none of its bases; [[:], [], []] for others

    output:
    tuple val(meta), path("${prefix}"), emit: run
    path "versions.yml", emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def reference = genome ? "-g $genome" : ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    bigdna finetune $pretrained $dataset $reference $args -o ${prefix} -@ $task.cpus

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bigdna: \$(bigdna --version-only)
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir ${prefix}
    touch ${prefix}/run.json

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        bigdna: \$(bigdna --version-only)
    END_VERSIONS
    """
}
