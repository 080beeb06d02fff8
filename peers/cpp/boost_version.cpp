// Preprocessed, it is the version of Boost.
#include <boost/version.hpp>
Boost BOOST_LIB_VERSION
