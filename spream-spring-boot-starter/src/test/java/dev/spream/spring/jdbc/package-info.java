@NullMarked
package dev.spream.spring.jdbc;

import org.jspecify.annotations.NullMarked;
