/** The rule of the reader: it stands alone. */
@NullMarked
package dev.spream.interop.debezium;

import org.jspecify.annotations.NullMarked;
