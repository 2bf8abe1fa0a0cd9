import { createServer, type Server, type Socket } from 'node:net';
import { listenOnFreePort } from '../../../test/support/web-server';

/** Types of packets in the protocol of SQL Server; TRANSACTION begins or ends a transaction. */
const [TRANSACTION, LOGIN, PRELOGIN] = [0x0e, 0x10, 0x12];
const ANSWER = 0x04;
const HEADER_BYTES = 8;

/** The token DONE: the end of an answer. */
const DONE = Buffer.from([0xfd, ...Array<number>(12).fill(0)]);
/** One option, "no encryption". */
const PRELOGIN_ANSWER = Buffer.from([1, 0, 6, 0, 1, 0xff, 2]);
/** The token LOGINACK of version 7.4, of a program without a name, and the end. */
const LOGIN_ANSWER = Buffer.concat([Buffer.from([0xad, 10, 0, 1, 0x74, 0, 0, 4, 0, 16, 0, 0, 0]), DONE]);

/** The answer to a login that sends the connection on to another address: the token ENVCHANGE of the type 20, and a login. */
export function sentOnTo(host: string, port: number): Buffer {
  const address = Buffer.concat([Buffer.alloc(5), Buffer.from(host, 'ucs2')]);
  address.writeUInt16LE(port, 1);
  address.writeUInt16LE(host.length, 3);
  const [head, tail] = [Buffer.from([0xe3, 0, 0, 20, 0, 0]), Buffer.from([0, 0])];
  head.writeUInt16LE(3 + address.length + tail.length, 1);
  head.writeUInt16LE(address.length, 4);
  return Buffer.concat([head, address, tail, LOGIN_ANSWER]);
}

/** The answer to a COMMIT that the server refuses: the token ENVCHANGE of a rollback, the token ERROR, and the end. */
export function rolledBack(message: string): Buffer {
  return Buffer.concat([Buffer.from([0xe3, 11, 0, 10, 0, 8, ...Array<number>(8).fill(0)]), refused(message)]);
}

/** The answer to a statement that the server refuses: the token ERROR, and the end. */
export function refused(message: string): Buffer {
  const text = Buffer.from(message, 'ucs2');
  const error = Buffer.concat([Buffer.from([0xaa, 0, 0, 1, 0, 0, 0, 1, 16, message.length, 0]), text, Buffer.alloc(6)]);
  error.writeUInt16LE(error.length - 3, 1);
  const done = Buffer.from([...DONE]);
  done.writeUInt16LE(2, 1);
  return Buffer.concat([error, done]);
}

/** For tests: a server that speaks as much of the protocol of SQL Server as a login and statements need. */
export class FakeSqlServer {
  /** The tokens with which a login is answered. */
  login: Buffer = LOGIN_ANSWER;
  /** The tokens with which a statement of the test is answered. */
  statement: Buffer = DONE;
  /** The tokens with which the end of a transaction is answered. */
  commit: Buffer = DONE;
  /** Replaces the answer to the end of a transaction: the server calls it and says nothing. */
  onTransactionEnd: (() => void) | undefined;
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      this.answerEach(socket);
    });
  }

  static async create(): Promise<FakeSqlServer & { port: number }> {
    const fake = new FakeSqlServer();
    return Object.assign(fake, { port: await listenOnFreePort(fake.server) });
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private answerEach(socket: Socket): void {
    let received = Buffer.alloc(0);
    let hasSettings = false;
    let hasBegun = false;
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        received = Buffer.concat([received, bytes]);
        while (received.length >= HEADER_BYTES && received.length >= received.readUInt16BE(2)) {
          const [type, status] = received;
          received = received.subarray(received.readUInt16BE(2));
          // Only the last packet of a message is answered.
          if (((status ?? 0) & 1) === 0) continue;
          if (type === PRELOGIN) socket.write(packet(PRELOGIN_ANSWER));
          else if (type === LOGIN) socket.write(packet(this.login));
          else if (type === TRANSACTION) {
            if (hasBegun && this.onTransactionEnd) this.onTransactionEnd();
            else socket.write(packet(hasBegun ? this.commit : DONE));
            hasBegun = true;
          } else {
            // The first statement of a connection is that of the driver, with its settings.
            socket.write(packet(hasSettings ? this.statement : DONE));
            hasSettings = true;
          }
        }
      });
  }
}

function packet(content: Buffer): Buffer {
  const header = Buffer.from([ANSWER, 1, 0, 0, 0, 0, 1, 0]);
  header.writeUInt16BE(HEADER_BYTES + content.length, 2);
  return Buffer.concat([header, content]);
}
