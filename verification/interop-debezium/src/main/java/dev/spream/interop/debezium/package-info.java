/**
 * Debezium's own change stream reader as a program, {@link dev.spream.interop.debezium.DebeziumReader}. It has a class
 * path of its own, with the Spanner client of the Debezium release, so that it does not depend on spream, and runs in a
 * process of its own.
 */
@NullMarked
package dev.spream.interop.debezium;

import org.jspecify.annotations.NullMarked;
