@NullMarked
package dev.spream.format.schema;

import org.jspecify.annotations.NullMarked;
