// Random identifiers. Thread-safe. UUIDs, which designs use as ids, cannot be predicted: their bits come from OpenSSL's
// generator. The others come from a faster generator, one per thread.
#pragma once

#include <cstdint>
#include <string>

namespace trestle {

uint64_t random_u64();
// "0F3K...": 52 characters of 0-9A-Z, the format of DynamoDB's x-amzn-RequestId.
std::string random_request_id();
// "8b0c6c1e-7d0e-4b5c-a1b9-0d4f6e3f7c21": a version 4 UUID.
std::string random_uuid();

}  // namespace trestle
