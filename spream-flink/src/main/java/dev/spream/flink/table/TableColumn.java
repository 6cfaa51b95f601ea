package dev.spream.flink.table;

import java.io.Serializable;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * A column of the declared table.
 *
 * @param name its name in Spanner
 * @param type its type in Flink
 * @param isKey whether the declared primary key has it
 */
record TableColumn(String name, LogicalType type, boolean isKey) implements Serializable {}
