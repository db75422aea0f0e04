// The shapes of all operations.
#pragma once

#include "model/shapes/backup_shapes.h"
#include "model/shapes/batch_shapes.h"
#include "model/shapes/contributor_insights_shapes.h"
#include "model/shapes/export_shapes.h"
#include "model/shapes/global_table_shapes.h"
#include "model/shapes/item_shapes.h"
#include "model/shapes/kinesis_destination_shapes.h"
#include "model/shapes/load_shapes.h"
#include "model/shapes/policy_shapes.h"
#include "model/shapes/replica_auto_scaling_shapes.h"
#include "model/shapes/statement_shapes.h"
#include "model/shapes/stream_shapes.h"
#include "model/shapes/table_shapes.h"
#include "model/shapes/vector_shapes.h"
