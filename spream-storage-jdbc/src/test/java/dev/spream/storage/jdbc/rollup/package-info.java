@NullMarked
package dev.spream.storage.jdbc.rollup;

import org.jspecify.annotations.NullMarked;
