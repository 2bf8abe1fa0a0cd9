# perl dropped-packets.pl <host> <port>: forwards connections to the server, and prints the port where it listens. The letter "d" on its
# input drops the packets of clients from now on, "k" keeps them. In Perl, because Node cannot set a socket filter. The filter is a
# program of one instruction, "keep 0 bytes": the kernel drops each packet for the socket before it looks at it, as if it had been lost on
# the way. Unlike a rule of the firewall or an interface of its own it takes no rights, and nobody else's network notices it.
use strict; use warnings; use IO::Select; use IO::Socket::INET; use Socket;
my ($ATTACH_FILTER, $DETACH_FILTER) = (26, 27);
my $instruction = pack('S C C L', 6, 0, 0, 0);
my $filter = pack('S x![P] P', 1, $instruction);
my ($host, $port) = @ARGV;
my $entrance = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 50) or die $!;
my $inputs = IO::Select->new($entrance, \*STDIN);
my (%other, %near);
my $dropping = 0;
sub drop { setsockopt($_[0], SOL_SOCKET, $ATTACH_FILTER, $filter) or die $! }
sub keep { setsockopt($_[0], SOL_SOCKET, $DETACH_FILTER, 0) or die $! }
$| = 1;
print $entrance->sockport, "\n";
while (1) {
  for my $input ($inputs->can_read) {
    if ($input == \*STDIN) {
      sysread(STDIN, my $command, 1) or exit;
      $dropping = $command eq 'd';
      $dropping ? drop($_) : keep($_) for $entrance, values %near;
      print "$command\n";
    } elsif ($input == $entrance) {
      my $near = $entrance->accept or next;
      my $far = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port) or next;
      drop($near) if $dropping;
      $near{$near} = $near;
      ($other{$near}, $other{$far}) = ($far, $near);
      $inputs->add($near, $far);
    } elsif (my $output = $other{$input}) {
      my $bytes;
      next if sysread($input, $bytes, 65536) and defined syswrite($output, $bytes);
      $inputs->remove($input, $output);
      delete @other{$input, $output};
      delete @near{$input, $output};
      close $_ for $input, $output;
    }
  }
}