/** Tests of locks in databases, against servers that they start themselves. */
@NullMarked
package dev.spream.storage.jdbc.lock;

import org.jspecify.annotations.NullMarked;
