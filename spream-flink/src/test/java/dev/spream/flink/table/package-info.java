@NullMarked
package dev.spream.flink.table;

import org.jspecify.annotations.NullMarked;
