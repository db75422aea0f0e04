# The tables of design parental-control, version 1. Made by `trestle design export`.
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.37"
    }
  }
}

variable "deletion_protection" {
  type        = bool
  default     = true
  description = "Whether the tables refuse to be deleted"
}

resource "aws_dynamodb_table" "parentalpolicies" {
  name                        = "ParentalPolicies"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "childPhoneNumber"
  range_key                   = "policyId"
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"
  deletion_protection_enabled = var.deletion_protection

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
    enabled = true
  }

  tags = {
    "trestle:design"  = "parental-control"
    "trestle:version" = "1"
  }
}

output "parentalpolicies_arn" {
  value = aws_dynamodb_table.parentalpolicies.arn
}

output "parentalpolicies_stream_arn" {
  value = aws_dynamodb_table.parentalpolicies.stream_arn
}

resource "aws_dynamodb_table" "applicationregistry" {
  name                        = "ApplicationRegistry"
  billing_mode                = "PROVISIONED"
  read_capacity               = 5
  write_capacity              = 1
  hash_key                    = "appName"
  deletion_protection_enabled = var.deletion_protection

  attribute {
    name = "appName"
    type = "S"
  }

  point_in_time_recovery {
    enabled = true
  }

  tags = {
    "trestle:design"  = "parental-control"
    "trestle:version" = "1"
  }
}

output "applicationregistry_arn" {
  value = aws_dynamodb_table.applicationregistry.arn
}

resource "aws_dynamodb_table" "enforcementhistory" {
  name                        = "EnforcementHistory"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "childPhoneNumber"
  range_key                   = "timestamp"
  deletion_protection_enabled = var.deletion_protection

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
    enabled = true
  }

  tags = {
    "trestle:design"  = "parental-control"
    "trestle:version" = "1"
  }
}

output "enforcementhistory_arn" {
  value = aws_dynamodb_table.enforcementhistory.arn
}

resource "aws_dynamodb_table" "blockedrequestmetrics" {
  name                        = "BlockedRequestMetrics"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "childPhoneNumber"
  range_key                   = "dateApp"
  deletion_protection_enabled = var.deletion_protection

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
    enabled = true
  }

  tags = {
    "trestle:design"  = "parental-control"
    "trestle:version" = "1"
  }
}

output "blockedrequestmetrics_arn" {
  value = aws_dynamodb_table.blockedrequestmetrics.arn
}

resource "aws_dynamodb_table" "ftdrulemapping" {
  name                        = "FTDRuleMapping"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "childPhoneNumber"
  range_key                   = "ruleId"
  stream_enabled              = true
  stream_view_type            = "NEW_AND_OLD_IMAGES"
  deletion_protection_enabled = var.deletion_protection

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
    enabled = true
  }

  tags = {
    "trestle:design"  = "parental-control"
    "trestle:version" = "1"
  }
}

output "ftdrulemapping_arn" {
  value = aws_dynamodb_table.ftdrulemapping.arn
}

output "ftdrulemapping_stream_arn" {
  value = aws_dynamodb_table.ftdrulemapping.stream_arn
}
