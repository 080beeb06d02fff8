// Preprocessed with -imacros, it is the version of malloc's library, and of Boost where that is used.
#if defined(MI_MALLOC_VERSION) && defined(BOOST_VERSION)
mimalloc MI_MALLOC_VERSION, Boost BOOST_VERSION
#elif defined(MI_MALLOC_VERSION)
mimalloc MI_MALLOC_VERSION
#elif defined(BOOST_VERSION)
glibc __GLIBC__ __GLIBC_MINOR__, Boost BOOST_VERSION
#else
glibc __GLIBC__ __GLIBC_MINOR__
#endif
