# CUDA 13 has no nvToolsExt any more, and CMake's own search for CUDA, as of 3.25, ends with an error where that target is missing.
# Nothing here uses it: an empty one lets the search go on. Included before find_package(llama), here and by the installed package.
if(NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
