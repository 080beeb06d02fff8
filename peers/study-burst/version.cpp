// Preprocessed with -imacros, it is the version of the C library and Boost's.
glibc __GLIBC__ __GLIBC_MINOR__, Boost BOOST_VERSION
