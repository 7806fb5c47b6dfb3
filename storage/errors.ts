/** Failures of a unit of work. Callers decide their meaning for a client. */
/** A write did not touch the rows that it must, because they were changed first. */
export class StaleWrite extends Error {
  override readonly name = 'StaleWrite'
}

/** A row with this key exists. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation'
  constructor(
    message: string,
    /** The columns of the key, as the engine names them: `runs.id`. */
    readonly columns: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A row refers to another one that is not there, any more or at all. */
export class MissingReference extends Error {
  override readonly name = 'MissingReference'
}

/** The store is away: locked, full, read-only, damaged or closed. Nothing of the unit of work was kept. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** A stored record is not what was written: it cannot be read, and is left as it is. */
export class DamagedRecord extends Error {
  override readonly name: string = 'DamagedRecord'
}

/** The store cannot be opened as it is; the message says why and what to do. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused'
}
