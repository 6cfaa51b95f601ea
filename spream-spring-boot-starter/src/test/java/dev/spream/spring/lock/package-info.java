@NullMarked
package dev.spream.spring.lock;

import org.jspecify.annotations.NullMarked;
