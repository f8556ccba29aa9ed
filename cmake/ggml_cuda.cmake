# What a static ggml-cuda needs beside the driver: ggml's own package file names these only where CUDA itself is static.
# Included after find_package(llama), here and by the installed package.
if(TARGET ggml::ggml-cuda AND NOT GGML_SHARED_LIB AND NOT GGML_STATIC)
  find_package(CUDAToolkit REQUIRED)
  set_property(TARGET ggml::ggml-cuda APPEND PROPERTY INTERFACE_LINK_LIBRARIES CUDA::cudart CUDA::cublas)
endif()
