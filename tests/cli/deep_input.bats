# What is nested or long without end in an input file: an error, where the stack overflowed.
load helpers

deep() { python3 -c "print('[' * 200000 + ']' * 200000)"; }

@test "JSON nested without end is an error in every file that is JSON" {
  printf ">x\nACGTACGT\n" >x.fa
  printf '{"model": %s}' "$(deep)" >tokenizer.json
  fails 1 "tokenizer.json: its JSON is nested more than 64 levels deep" bigdna tokenize x.fa --vocab tokenizer.json
  printf '{"normalizer": %s}' "$(python3 -c "n = 100000; print('{\"type\": \"Sequence\", \"normalizers\": [' * n + ']}' * n)")" >tokenizer.json
  fails 1 "tokenizer.json: its JSON is nested more than 64 levels deep" bigdna tokenize x.fa --vocab tokenizer.json
  for kind in vocabulary corpus dataset run; do
    mkdir $kind
    printf '{"kind": "%s", "seed": %s}' $kind "$(deep)" >$kind/$kind.json
    fails 1 "$kind.json: its JSON is nested more than 64 levels deep" bigdna info $kind
  done
  mkdir model
  deep >model/config.json
  touch model/model.safetensors
  fails 1 "config.json: its JSON is nested more than 64 levels deep" bigdna evaluate mlm model x.fa
  python3 -c "
import struct
header = b'{\"__metadata__\": ' + b'[' * 200000 + b']' * 200000 + b'}'
open('x.safetensors', 'wb').write(struct.pack('<Q', len(header)) + header)"
  fails 1 "x.safetensors: not a safetensors file: its header: its JSON is nested more than 64 levels deep" bigdna info x.safetensors
}

@test "names and lines of any length: expressions take linear time" {
  python3 -c "print('>' + 'a' * 300000); print('ACGT' * 1000)" >long.fa
  bigdna vocab long.fa -o v --contigs '(a|b)*' --size 10 --quiet
  fails 2 "--contigs (?!a).*: is not primary, all or a regular expression (invalid perl operator: (?!)" bigdna vocab long.fa -o w --contigs '(?!a).*' --size 10 --quiet
  not timeout 60 bigdna vocab long.fa -o w --contigs '(a*)*b' --size 10 --quiet
  printf ">x\nACGTACGT\n" >x.fa
  python3 -c "print('FP ' + 'x ' * 100000 + ':+S EU:chr1 1+ 7')" >sites
  fails 1 "sites:1: not an FPS line" bigdna dataset promoter -g x.fa --promoters sites -o d --quiet
}
