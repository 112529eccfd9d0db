/**
 * An error of a plugin, or its timeout, with the name of the plugin: for logs and responses. An error that a plugin declares (a Fault) is
 * passed on unchanged.
 */
export class PluginFailure extends Error {
  override readonly name = 'PluginFailure';
  readonly plugin: string;

  constructor(plugin: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.plugin = plugin;
  }

  /** @param thrown the original error, kept as `cause`. */
  static of(plugin: string, thrown: unknown): PluginFailure {
    if (thrown instanceof PluginFailure) return thrown;
    return new PluginFailure(plugin, thrown instanceof Error ? thrown.message : 'it threw', {
      cause: thrown,
    });
  }
}
