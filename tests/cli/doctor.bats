# bigdna doctor: a report that fits the machine, and the problems that it must find. LibTorch that is broken: install.bats.
load helpers

# value LABEL: what the report says beside a label.
value() { sed -nE "s/^  $1 +//p" report; }

@test "a sound installation: every section, what will be used, no error" {
  bigdna doctor -@2 >report
  for section in Processor Memory GPU Models Choice Folders Problems; do grep -qx "$section" report; done
  head -1 report | grep -qE '^bigdna [0-9.]+ \(commit [0-9a-f]+(-dirty)?\)$'
  [ "$(value threads)" = 2 ]
  [ "$(value processors | sed 's/;.*//')" = "$(getconf _NPROCESSORS_ONLN)" ]
  grep -qE '^  LibTorch +2\.[0-9.]+, /.*libtorch_cpu\.so$' report
  [[ $(value precision) == fp32 || $(value precision) == bf16 ]]
  not grep -q '^  error' report
}

@test "--precision and --backend are what it reports" {
  bigdna doctor --precision fp32 --backend dense --device cpu >report
  [ "$(value precision)" = fp32 ]
  [ "$(value attention)" = dense ]
  [ "$(value device)" = cpu ]
}

@test "without bigdna-model: an error with its remedy, the rest of the report, exit 1" {
  mkdir bin
  cp "$BIGDNA" bin/
  run bin/bigdna doctor
  [ "$status" -eq 1 ]
  printf '%s\n' "$output" >report
  grep -qE "^  error +.*/bin/bigdna-model: No such file or directory$" report
  grep -qF "install bigdna again" report
  grep -qx Folders report
  grep -qF 'bigdna doctor: 1 error: see "Problems"' report
}

@test "a GPU without a plug-in: a note; --device cuda: an error" {
  cat >cuda.c <<'EOF'
int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int* v) { *v = 13000; return 0; }
int cuDeviceGetCount(int* n) { *n = 1; return 0; }
int cuDeviceGetName(char* name, int size, int device) { __builtin_snprintf(name, size, "Test GPU"); return 0; }
int cuDeviceGetAttribute(int* value, int what, int device) { *value = what == 75 ? 9 : 0; return 0; }
int cuDeviceTotalMem_v2(unsigned long* bytes, int device) { *bytes = 80ul << 30; return 0; }
EOF
  cc -shared -fPIC -o libcuda.so.1 cuda.c
  mkdir bin
  cp "$BIGDNA" "${BIGDNA%/*}/bigdna-model" bin/
  LD_LIBRARY_PATH=$PWD bin/bigdna doctor >report
  grep -qE '^  GPU 0 +Test GPU \(sm_90, 80 GiB\)$' report
  grep -qE '^  note +there is a GPU, but the CUDA plug-in is missing' report
  [ "$(value device)" = cpu ]
  LD_LIBRARY_PATH=$PWD run bin/bigdna doctor --device cuda
  [ "$status" -eq 1 ]
  [[ $output == *"error               --device cuda: there is a GPU (Test GPU"*"but the CUDA plug-in"*"is missing"* ]]
}

@test "folders that cannot be used: a note for each" {
  HOME=/proc TMPDIR=$PWD/none XDG_CACHE_HOME= BIGDNA_CACHE= bigdna doctor >report
  grep -qE '^  note +.*/none cannot be written' report
  grep -qF 'set TMPDIR to a folder on a local disk' report
}

@test "little memory: a note" {
  ! under_asan || skip "AddressSanitizer reserves more address space than any limit leaves"
  (ulimit -v 1500000 && bigdna doctor) >report || true
  grep -qE '^  ulimit -v +1\.54 GB$' report
  grep -qE '^  note +only 1\.54 GB of memory can be used' report
}

@test "bigdna-model is told how long waiting threads may spin, unless the user says so" {
  mkdir bin
  cp "$BIGDNA" bin/
  printf '#!/bin/sh\necho "${GOMP_SPINCOUNT-none} ${OMP_WAIT_POLICY-none}"\n' >bin/bigdna-model
  chmod +x bin/bigdna-model
  unset GOMP_SPINCOUNT OMP_WAIT_POLICY
  printf ">x\nACGT\n" >in.fa
  [ "$(bin/bigdna embed model in.fa -o out)" = "10000 none" ]
  [ "$(GOMP_SPINCOUNT=7 bin/bigdna embed model in.fa -o out)" = "7 none" ]
  [ "$(OMP_WAIT_POLICY=passive bin/bigdna embed model in.fa -o out)" = "none passive" ]
}
