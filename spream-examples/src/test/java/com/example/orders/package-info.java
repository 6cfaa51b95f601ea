/** The project of the guide to the outbox, as a user has it. */
@NullMarked
package com.example.orders;

import org.jspecify.annotations.NullMarked;
