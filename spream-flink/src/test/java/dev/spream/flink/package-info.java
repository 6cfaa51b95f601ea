@NullMarked
package dev.spream.flink;

import org.jspecify.annotations.NullMarked;
