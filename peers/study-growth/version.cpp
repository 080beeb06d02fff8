// Preprocessed with -imacros, it is the version of the C library, or that and Boost's.
#if defined(BOOST_VERSION)
glibc __GLIBC__ __GLIBC_MINOR__, Boost BOOST_VERSION
#else
glibc __GLIBC__ __GLIBC_MINOR__
#endif
