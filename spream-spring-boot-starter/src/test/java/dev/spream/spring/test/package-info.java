@NullMarked
package dev.spream.spring.test;

import org.jspecify.annotations.NullMarked;
