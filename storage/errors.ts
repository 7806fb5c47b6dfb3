/** Errors of the store. Callers map them to answers for clients. */
/** A write did not touch the required number of rows, because of a concurrent change. */
export class StaleWrite extends Error {
  override readonly name = 'StaleWrite'
}

/** A row with this key already exists. */
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

/** A row refers to a row that does not exist. */
export class MissingReference extends Error {
  override readonly name = 'MissingReference'
}

/** The store is unavailable: locked, full, read-only, damaged or closed. Nothing of the unit of work was stored. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** The connection broke during the commit and did not return in time to tell whether the unit of work was committed. */
export class OutcomeUnknown extends StoreUnavailable {
  override readonly name = 'OutcomeUnknown'
}

/** A stored record is damaged: it cannot be read, and is left unchanged. */
export class DamagedRecord extends Error {
  override readonly name: string = 'DamagedRecord'
}

/** The store cannot be opened; the message gives the cause and the remedy. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused'
}
