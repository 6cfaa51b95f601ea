@NullMarked
package dev.spream.format.avro;

import org.jspecify.annotations.NullMarked;
