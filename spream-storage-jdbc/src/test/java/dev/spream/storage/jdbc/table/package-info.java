@NullMarked
package dev.spream.storage.jdbc.table;

import org.jspecify.annotations.NullMarked;
