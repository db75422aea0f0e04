// The credential and timestamp of AWS's published SigV4 test suite, for tests.
#pragma once

#include <string_view>

#include "access/credentials.h"

namespace trestle {

inline const Credential kExampleCredential{.access_key_id = "AKIDEXAMPLE",
                                           .secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
inline constexpr std::string_view kExampleDate = "20150830T123600Z";

}  // namespace trestle
