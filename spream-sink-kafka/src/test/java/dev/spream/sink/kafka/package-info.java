@NullMarked
package dev.spream.sink.kafka;

import org.jspecify.annotations.NullMarked;
