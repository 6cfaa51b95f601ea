@NullMarked
package dev.spream.kafka;

import org.jspecify.annotations.NullMarked;
