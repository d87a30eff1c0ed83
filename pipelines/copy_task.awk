# The copy task: a genome where a base far away says what no base nearby can.
#   awk -v words=WORDS.txt -v held_out=HELD_OUT.bed [-v NAME=VALUE ...] -f copy_task.awk >GENOME.fa
# Everything is made of words of `word` bp: an A, then C and G, then a T. The reverse complement of such a word is one, too.
# A vocabulary that is trained on WORDS.txt (every word twice, a line each, since a pair that occurs once is never merged) has a token
# for each of them, and no piece crosses from one word into the next, because none has a T before an A. Words are drawn from
# a pool of `pool` and their reverse complements, so that one word tells nothing about the next: log2(2 pool) bits, if no copy is seen.
# A locus is `distance` words (each of `distances`, joined by commas) and then the same again, `copies` times in all: directly, or (direction
# inverted, only every second time) as reverse complements of `unit` words each, so that a copy is `distance` words away, by up to
# `unit` words more or less. Loci are put together until a document has `document` words. Each is a contig named
# DIRECTION_DISTANCE_NUMBER, or, with joined=1, all of a kind are one contig, DIRECTION_DISTANCE; those that are held out
# end in _held_out. The same settings give the same bytes with every awk.
function below(n) { state = state * 48271 % 2147483647; return int(state / 2147483647 * n) }
function given(value, otherwise) { return value == "" ? otherwise : value }
function draw_pool(    i, k, text, reversed, base, seen) {
  for (i = 0; i < pool; ) {
    text = reversed = ""
    for (k = 2; k < word; ++k) {
      base = below(2)
      text = text substr("CG", base + 1, 1)
      reversed = substr("GC", base + 1, 1) reversed
    }
    if (text in seen || reversed in seen) continue
    seen[text] = seen[reversed] = 1
    pieces[i] = "A" text "T"
    pieces[i + pool] = "A" reversed "T"  # of word w the reverse complement is (w + pool) % (2 pool)
    ++i
  }
}
function write_locus(direction, distance,    i, copy, block, k) {
  for (i = 0; i < distance; ++i) drawn[i] = below(2 * pool)
  for (copy = 0; copy < copies; ++copy) {
    if (direction == "inverted" && copy % 2)
      for (block = 0; block < distance; block += unit)
        for (k = unit - 1; k >= 0; --k) print pieces[(drawn[block + k] + pool) % (2 * pool)]
    else
      for (i = 0; i < distance; ++i) print pieces[drawn[i]]
  }
}
function write_documents(direction, distance, suffix, count,    i, name, n) {
  for (i = 0; i < count; ++i) {
    name = direction "_" distance (joined ? "" : "_" i) suffix
    if (!joined || i == 0) print ">" name
    for (n = 0; n + copies * distance <= document; n += copies * distance) write_locus(direction, distance)
    if (suffix != "" && (!joined || i == count - 1)) printf "%s\t0\t%d\n", name, (joined ? count : 1) * n * word >held_out
  }
}
BEGIN {
  state = given(seed, 1); word = given(word, 250); pool = given(pool, 32); unit = given(unit, 4); copies = given(copies, 2)
  document = given(document, 160); documents = given(documents, 1500); tested = given(tested, 100)
  kinds = split(given(directions, "direct,inverted"), direction, ","); places = split(given(distances, "4,16,80"), distance, ",")
  draw_pool()
  for (i = 0; i < 2 * pool; ++i) print pieces[i] "\n" pieces[i] >words
  for (d = 1; d <= kinds; ++d)
    for (p = 1; p <= places; ++p) {
      write_documents(direction[d], distance[p], "", documents)
      write_documents(direction[d], distance[p], "_held_out", tested)
    }
}
