/* glibc 2.29 gave exp, exp2, log, log2 and pow new versions, which set errno and no longer call matherr; the numbers are the same. Programs that
   are linked with this object, and -Wl,--wrap=exp and so on, take the versions that glibc has had from the beginning. */
#define OLD_1(name)                                       \
  __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5"); \
  double old_##name(double);                              \
  double __wrap_##name(double x) { return old_##name(x); }

OLD_1(exp)
OLD_1(exp2)
OLD_1(log)
OLD_1(log2)

__asm__(".symver old_pow,pow@GLIBC_2.2.5");
double old_pow(double, double);
double __wrap_pow(double x, double y) { return old_pow(x, y); }
