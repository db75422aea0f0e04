# The tables of design parental-control, version 1. Made by `trestle design export`.
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.37"
    }
  }
}

variable "parentalpolicies_name" {
  type        = string
  default     = "ParentalPolicies"
  description = "The name of the table ParentalPolicies"
}

resource "aws_dynamodb_table" "parentalpolicies" {
  name                        = var.parentalpolicies_name
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "childPhoneNumber"
  range_key                   = "policyId"
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"
  deletion_protection_enabled = false

  attribute {
    name = "childPhoneNumber"
    type = "S"
  }

  attribute {
    name = "policyId"
    type = "S"
  }

  attribute {
    name = "parentEmail"
    type = "S"
  }

  attribute {
    name = "createdAt"
    type = "S"
  }

  global_secondary_index {
    name            = "ParentEmailIndex"
    projection_type = "ALL"

    key_schema {
      attribute_name = "parentEmail"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "createdAt"
      key_type       = "RANGE"
    }
  }

  point_in_time_recovery {
    enabled = false
  }
}

output "parentalpolicies_arn" {
  value = aws_dynamodb_table.parentalpolicies.arn
}

output "parentalpolicies_stream_arn" {
  value = aws_dynamodb_table.parentalpolicies.stream_arn
}
variable "applicationregistry_name" {
  type        = string
  default     = "ApplicationRegistry"
  description = "The name of the table ApplicationRegistry"
}

resource "aws_dynamodb_table" "applicationregistry" {
  name                        = var.applicationregistry_name
  billing_mode                = "PROVISIONED"
  read_capacity               = 5
  write_capacity              = 1
  hash_key                    = "appName"
  deletion_protection_enabled = false

  attribute {
    name = "appName"
    type = "S"
  }

  point_in_time_recovery {
    enabled = false
  }
}

output "applicationregistry_arn" {
  value = aws_dynamodb_table.applicationregistry.arn
}
variable "enforcementhistory_name" {
  type        = string
  default     = "EnforcementHistory"
  description = "The name of the table EnforcementHistory"
}

resource "aws_dynamodb_table" "enforcementhistory" {
  name                        = var.enforcementhistory_name
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "childPhoneNumber"
  range_key                   = "timestamp"
  deletion_protection_enabled = false

  attribute {
    name = "childPhoneNumber"
    type = "S"
  }

  attribute {
    name = "timestamp"
    type = "S"
  }

  attribute {
    name = "status"
    type = "S"
  }

  global_secondary_index {
    name            = "StatusTimestampIndex"
    projection_type = "ALL"

    key_schema {
      attribute_name = "status"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "timestamp"
      key_type       = "RANGE"
    }
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = false
  }
}

output "enforcementhistory_arn" {
  value = aws_dynamodb_table.enforcementhistory.arn
}
variable "blockedrequestmetrics_name" {
  type        = string
  default     = "BlockedRequestMetrics"
  description = "The name of the table BlockedRequestMetrics"
}

resource "aws_dynamodb_table" "blockedrequestmetrics" {
  name                        = var.blockedrequestmetrics_name
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "childPhoneNumber"
  range_key                   = "dateApp"
  deletion_protection_enabled = false

  attribute {
    name = "childPhoneNumber"
    type = "S"
  }

  attribute {
    name = "dateApp"
    type = "S"
  }

  attribute {
    name = "parentEmail"
    type = "S"
  }

  attribute {
    name = "date"
    type = "S"
  }

  global_secondary_index {
    name            = "ParentEmailDateIndex"
    projection_type = "ALL"

    key_schema {
      attribute_name = "parentEmail"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "date"
      key_type       = "RANGE"
    }
  }

  point_in_time_recovery {
    enabled = false
  }
}

output "blockedrequestmetrics_arn" {
  value = aws_dynamodb_table.blockedrequestmetrics.arn
}
variable "ftdrulemapping_name" {
  type        = string
  default     = "FTDRuleMapping"
  description = "The name of the table FTDRuleMapping"
}

resource "aws_dynamodb_table" "ftdrulemapping" {
  name                        = var.ftdrulemapping_name
  billing_mode                = "PROVISIONED"
  read_capacity               = 20
  write_capacity              = 20
  hash_key                    = "childPhoneNumber"
  range_key                   = "ruleId"
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"
  deletion_protection_enabled = false

  attribute {
    name = "childPhoneNumber"
    type = "S"
  }

  attribute {
    name = "ruleId"
    type = "S"
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = false
  }
}

output "ftdrulemapping_arn" {
  value = aws_dynamodb_table.ftdrulemapping.arn
}

output "ftdrulemapping_stream_arn" {
  value = aws_dynamodb_table.ftdrulemapping.stream_arn
}
