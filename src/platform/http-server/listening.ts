/** The address that a server is to listen on, and the variables that set it. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly hostSetting: string;
  readonly portSetting: string;
}

/**
 * Runs `listen`.
 * @throws Error with a sentence that names the variable to correct, if the server cannot listen there
 */
export async function listening<T>(address: ListenAddress, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === 'listen' || syscall === 'bind' || syscall?.startsWith('getaddrinfo') || code?.startsWith('EAI_'))
      throw new Error(sentenceFor(code ?? 'unknown', address), { cause: error });
    throw error;
  }
}

function sentenceFor(code: string, { host, port, hostSetting, portSetting }: ListenAddress): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${portSetting} is wrong: another process listens on ${host}, port ${port}. Stop it, or set ${portSetting} to a free port.`;
    case 'EACCES':
      return `${portSetting} is wrong: this user may not listen on port ${port}. Set ${portSetting} to a port from 1024 on, or allow the process to use lower ones.`;
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return `${hostSetting} is wrong: ${host} is not an address of this machine (${code}). Set ${hostSetting} to one of its addresses, such as 127.0.0.1, or to 0.0.0.0 for all of them.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'EAI_NODATA':
      return `${hostSetting} is wrong: the name ${host} does not resolve (${code}). Set ${hostSetting} to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 for all of them.`;
    default:
      return `${hostSetting} or ${portSetting} is wrong: the process cannot listen on ${host}, port ${port} (${code}).`;
  }
}
