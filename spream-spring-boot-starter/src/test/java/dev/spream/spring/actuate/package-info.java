@NullMarked
package dev.spream.spring.actuate;

import org.jspecify.annotations.NullMarked;
