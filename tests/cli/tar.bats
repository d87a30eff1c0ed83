# Folders as one file: a .tar is read as the folder that it holds, and -o NAME.tar writes one.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  bigdna vocab "$genome" -o vocabulary --size 200 --quiet -@1
  bigdna corpus "$genome" --vocab vocabulary -o corpus --hold-out chr3 --quiet -@1
  tiny=(--preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --steps 2 --batch 2 --evaluation-tokens 1000 --precision fp32 --quiet -@1)
  bigdna pretrain corpus --vocab vocabulary "${tiny[@]}" -o pre
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like pre/model --validation chrX -o promoters --quiet
  bigdna finetune pre promoters --steps 4 --no-baseline --precision fp32 -o tuned --quiet -@1 >/dev/null
  for folder in vocabulary corpus pre promoters tuned; do tar -cf $folder.tar $folder; done  # as GNU tar makes them
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz fasta=$TEST_DATA/records.fa
}

# made_by_python FOLDER TAR FORMAT: with long names, which each format has in another place
made_by_python() {
  python3 - "$@" <<'PY'
import pathlib, sys, tarfile
folder, archive, form = sys.argv[1:]
with tarfile.open(archive, "w", format={"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}[form]) as tar:
    for path in sorted(pathlib.Path(folder).rglob("*")):
        tar.add(path, "a" * 60 + "/" + "b" * 60 + "/" + str(path.relative_to(folder)), recursive=False)
PY
}

@test "tars of GNU tar and Python are read as the folders are: the same bytes, name and MD5, with one thread and two" {
  bigdna predict-promoter "$shared/tuned" "$fasta" -o folder.tsv --quiet
  cp -r "$shared/tuned/model" tuned
  tar -cf dot.tar -C tuned .
  tar -cf oldgnu.tar --format=oldgnu tuned
  tar -cf pax.tar --format=pax tuned
  for threads in 1 2; do
    bigdna predict-promoter "$shared/tuned.tar" "$fasta" -o run.tsv -@ $threads --quiet
    same_rows run.tsv folder.tsv
  done
  grep "^##model=" folder.tsv >model
  [ -s model ]
  [ "$(grep "^##model=" run.tsv)" = "$(cat model)" ]
  for archive in dot oldgnu pax; do
    mv $archive.tar tuned.tar
    bigdna predict-promoter tuned.tar "$fasta" -o $archive.tsv --quiet
    same_rows $archive.tsv folder.tsv
    [ "$(grep "^##model=" $archive.tsv)" = "$(cat model)" ]
  done
  bigdna predict-promoter tuned.tar/ "$fasta" --quiet | same_rows folder.tsv -
  bigdna predict-promoter "$shared/tuned.tar/model" "$fasta" --quiet | same_rows folder.tsv -
  for form in ustar gnu pax; do
    made_by_python tuned dataset_1.dat $form  # as Galaxy names files
    bigdna info dataset_1.dat/$(printf 'b%.0s' {1..60}) >page  # the top folder is left out
    grep -q "a model folder, made by bigdna" page
  done
}

@test "every folder that bigdna makes can be a tar where it is read" {
  bigdna tokenize --vocab "$shared/vocabulary" "$fasta" >folder.out
  bigdna tokenize --vocab "$shared/vocabulary.tar" "$fasta" >packed.out
  same_rows folder.out packed.out
  bigdna corpus "$genome" --vocab "$shared/vocabulary.tar" -o corpus --hold-out chr3 --quiet -@1
  cmp corpus/training/*0.safetensors "$shared"/corpus/training/*0.safetensors
  tiny=(--preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --steps 2 --batch 2 --evaluation-tokens 1000 --precision fp32 --quiet -@2)
  bigdna pretrain "$shared/corpus.tar" --vocab "$shared/vocabulary.tar" "${tiny[@]}" -o pre
  cmp pre/model/model.safetensors "$shared/pre/model/model.safetensors"
  bigdna evaluate mlm "$shared/pre.tar" "$shared/corpus.tar" --tokens 500 --quiet >packed.out
  bigdna evaluate mlm "$shared/pre" "$shared/corpus" --tokens 500 --quiet >folder.out
  same_rows <(sed 's/\.tar//' packed.out) folder.out
  bigdna finetune "$shared/pre.tar" "$shared/promoters.tar" --steps 4 --no-baseline --precision fp32 -o tuned --quiet -@2 >packed.out
  same_rows packed.out "$shared/tuned/metrics.tsv"
  cmp tuned/model/model.safetensors "$shared/tuned/model/model.safetensors"
  bigdna evaluate "$shared/tuned.tar" "$shared/promoters.tar" --precision fp32 --quiet >packed.out
  bigdna evaluate "$shared/tuned" "$shared/promoters" --precision fp32 --quiet >folder.out
  same_rows packed.out folder.out
  bigdna embed "$shared/pre.tar" "$fasta" -o packed.tsv --quiet
  bigdna embed "$shared/pre" "$fasta" -o folder.tsv --quiet
  same_rows packed.tsv folder.tsv
  bigdna convert "$shared/pre.tar" -o packed --head none --quiet
  bigdna convert "$shared/pre" -o folder --head none --quiet
  cmp packed/model.safetensors folder/model.safetensors
  for folder in vocabulary corpus pre promoters tuned; do
    bigdna info --verify "$shared/$folder.tar" | sed 's/\.tar//' | diff - <(bigdna info --verify "$shared/$folder")
    bigdna report "$shared/$folder.tar" -o $folder.html --quiet
  done
  [ ! -e "$shared/vocabulary.tar.unpacked" ]
}

@test "--resume: a tar and a folder of the same content are the same input" {
  bigdna predict-promoter "$shared/tuned" "$fasta" -o out.tsv --resume --quiet
  bigdna predict-promoter "$shared/tuned.tar" "$fasta" -o out.tsv --resume 2>err
  grep -q "out.tsv: is complete" err
  bigdna finetune "$shared/pre.tar" "$shared/promoters.tar" --steps 4 --no-baseline --precision fp32 -o run --quiet >/dev/null
  bigdna finetune "$shared/pre" "$shared/promoters" --steps 4 --no-baseline --precision fp32 -o run --resume >/dev/null 2>err
  grep -q "run: is complete" err
  cp -r "$shared/tuned/model" tuned
  sed -i 's/"initializer_range": 0.02/"initializer_range": 0.03/' tuned/config.json
  tar -cf other.tar tuned
  fails 1 "out.tsv: was made with model $shared/tuned, not $PWD/other.tar" bigdna predict-promoter other.tar "$fasta" -o out.tsv --resume --quiet
}

@test "-o NAME.tar: the same bytes each time, of each command; nothing else is left" {
  bigdna vocab "$genome" -o vocabulary.tar --size 200 --quiet -@2
  bigdna corpus "$genome" --vocab vocabulary.tar -o corpus.tar --hold-out chr3 --quiet -@2
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like "$shared/pre/model" --validation chrX -o promoters.tar --quiet
  train=(bigdna finetune "$shared/pre" promoters.tar --steps 4 --no-baseline --precision fp32)
  "${train[@]}" -o tuned.tar --quiet >table
  same_rows table "$shared/tuned/metrics.tsv"
  bigdna convert tuned.tar -o model.tar --quiet 2>/dev/null
  nothing_but vocabulary.tar corpus.tar promoters.tar tuned.tar model.tar table
  tar -tf tuned.tar >members
  LC_ALL=C sort -c members
  not grep -q checkpoints members
  grep -qx model/model.safetensors members
  [ "$(tar -tvf tuned.tar | awk '{print $1, $2, $4, $5}' | sort -u)" = "-rw-r--r-- 0/0 1970-01-01 00:00" ]
  mkdir unpacked
  tar -xf tuned.tar -C unpacked
  cmp unpacked/model/model.safetensors "$shared/tuned/model/model.safetensors"
  python3 -c 'import tarfile; print(len(tarfile.open("tuned.tar").getnames()))' >/dev/null
  mkdir first  # a run records its speed; the others hold nothing that differs
  mv vocabulary.tar model.tar first
  bigdna vocab "$genome" -o vocabulary.tar --size 200 --quiet -@2
  bigdna convert tuned.tar -o model.tar --quiet 2>/dev/null
  cmp vocabulary.tar first/vocabulary.tar
  cmp model.tar first/model.tar
  bigdna predict-promoter tuned.tar "$fasta" --quiet | same_rows - <(bigdna predict-promoter "$shared/tuned" "$fasta" --quiet)
}

@test "-o NAME.tar: --resume, --resume=replace, --force, and a job that is killed" {
  train=(bigdna finetune "$shared/pre" "$shared/promoters" --no-baseline -@1)
  "${train[@]}" --steps 4 -o run.tar --quiet >table
  cp run.tar first.tar
  fails 1 "run.tar: exists (--resume" "${train[@]}" --steps 4 -o run.tar --quiet
  "${train[@]}" --steps 4 -o run.tar --resume >again 2>err
  grep -q ": is complete" err
  diff table again
  cmp run.tar first.tar
  fails 1 "was made with --steps 4, not 5 (--resume" "${train[@]}" --steps 5 -o run.tar --resume --quiet
  cmp run.tar first.tar
  nothing_but run.tar first.tar table again err
  "${train[@]}" --steps 5 -o run.tar --resume=replace >/dev/null 2>err
  grep -q "was made with --steps 4, not 5 (--resume=replace starts over)" err
  not cmp -s run.tar first.tar
  "${train[@]}" --steps 4 -o run.tar --force --quiet >/dev/null
  "${train[@]}" --steps 5 -o fresh --quiet >/dev/null
  rm run.tar
  "${train[@]}" --steps 4000 --checkpoint-every 1 -o run.tar --quiet >/dev/null &
  until [ -e run.tar.unpacked/run/checkpoints/last ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
  kill -9 $!
  wait $! || true
  [ ! -e run.tar ]
  fails 1 "run.tar.unpacked/run: is not empty (--resume" "${train[@]}" --steps 4000 --checkpoint-every 1 -o run.tar --quiet
  "${train[@]}" --steps 5 -o run.tar --resume=replace --quiet >/dev/null
  tar -xf run.tar model/model.safetensors
  cmp model/model.safetensors fresh/model/model.safetensors
  [ ! -e run.tar.unpacked ]
}

@test "-o NAME.tar: pretraining that is killed needs no options to go on" {
  run=(bigdna pretrain "$shared/corpus" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --steps 60 --checkpoint-every 5 --batch 2
    --evaluation-tokens 1000 --precision fp32 --quiet)
  "${run[@]}" -o whole.tar
  "${run[@]}" -o cut.tar &
  until [ -e cut.tar.unpacked/cut/checkpoints/last ] || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
  kill -TERM $!
  wait $! || true
  [ -e cut.tar ] || bigdna pretrain -o cut.tar --resume --quiet
  bigdna pretrain -o cut.tar --resume --quiet  # finished: nothing to do
  for archive in whole cut; do
    mkdir $archive
    tar -xf $archive.tar -C $archive
  done
  cmp whole/model/model.safetensors cut/model/model.safetensors
  nothing_but whole whole.tar cut cut.tar
}

@test "-o NAME.tar: what is refused" {
  fails 2 "v.tar.gz: a compressed tar could not be read where it lies; name it NAME.tar" bigdna vocab "$genome" -o v.tar.gz --quiet
  mkdir folder.tar
  fails 1 "folder.tar: is a folder" bigdna vocab "$genome" -o folder.tar --quiet
  cp "$shared/pre.tar" .
  fails 1 "pre.tar: is the input $PWD/pre.tar itself" bigdna finetune "$PWD/pre.tar" "$shared/promoters" -o pre.tar --force --quiet
  cmp pre.tar "$shared/pre.tar"
  fails 2 "-o NAME.tar is for one process" env RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=1 bigdna pretrain "$shared/corpus" -o run.tar --quiet
  fails 1 "records.fa" bigdna vocab missing_records.fa -o v.tar --quiet
  nothing_but folder.tar pre.tar
}

@test "damaged, compressed and hostile tars: one line that says so" {
  use() { bigdna predict-promoter "$1" "$fasta" --quiet; }
  gzip -c "$shared/tuned.tar" >tuned.tar.gz
  fails 1 "tuned.tar.gz: is compressed" use tuned.tar.gz
  mv tuned.tar.gz tuned.tar
  fails 1 "tuned.tar: is compressed" use tuned.tar
  head -c 20000 "$shared/tuned.tar" >cut.tar
  fails 1 "cut.tar: truncated" use cut.tar
  echo text >text.tar
  fails 1 "text.tar: truncated" use text.tar
  seq 1000 >text.tar
  fails 1 "text.tar: is not a tar archive" use text.tar
  python3 - "$shared/tuned.tar" wrong.tar <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[10] ^= 1
open(sys.argv[2], "wb").write(data)
PY
  fails 1 "wrong.tar: damaged: the header at byte 0 has a wrong checksum" use wrong.tar
  cp -r "$shared/tuned/model" m
  tar -cf up.tar --transform 's,^m/config,../config,' -P m
  fails 1 "leads out of the archive" use up.tar
  tar -cf absolute.tar -P "$PWD/m"
  fails 1 "has an absolute path" use absolute.tar
  tar -cf twice.tar m m/config.json
  fails 1 "twice.tar: holds m/config.json twice" use twice.tar
  mv m/config.json .
  ln -s "$PWD/config.json" m/config.json
  tar -cf link.tar m
  fails 1 "link.tar/config.json: is a link or a device, which is not followed in a tar (tar --dereference" use link.tar
  tar -chf followed.tar m
  use followed.tar >rows
  rm m/config.json
  tar -cf missing.tar m
  fails 1 "missing.tar/config.json: no such file" use missing.tar
  fails 1 "not a model folder" use "$shared/promoters.tar/regions.bed.gz"
}
