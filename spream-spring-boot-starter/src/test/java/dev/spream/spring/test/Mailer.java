package dev.spream.spring.test;

import org.springframework.stereotype.Component;

/** A component that spream does not use. */
@Component
class Mailer {}
